//! Where hosts keep their files on this machine, and the program name that is written into them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The scope of a setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Scope {
    /// This user, in every project.
    User,
    /// One project, for everyone who works in it.
    Project,
}

impl Scope {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A machine, a user and a project.
#[derive(Debug, Clone)]
pub struct Place {
    /// The user's folder.
    pub home: PathBuf,
    /// The project's folder.
    pub project: PathBuf,
    /// The scope.
    pub scope: Scope,
    /// The program, as hosts should start it.
    pub program: String,
    variables: BTreeMap<String, OsString>,
}

impl Place {
    /// The place of this process. Default for `program`: the absolute path for a user, the bare name for a project.
    pub fn of_process(scope: Scope, project: Option<&Path>, program: Option<&str>) -> Result<Self, String> {
        let home = home_folder(std::env::var_os("HOME"))?;
        let folder = match project {
            Some(folder) => folder.to_owned(),
            None => std::env::current_dir().map_err(|e| format!("the working directory: {e}"))?,
        };
        let project = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
        let variables: BTreeMap<String, OsString> =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
        let program = match (program, scope) {
            (Some(program), _) => program.to_owned(),
            (None, Scope::Project) => "tersed".to_owned(),
            (None, Scope::User) => own_path(variables.get("PATH"))?,
        };
        Ok(Self { home, project, scope, program, variables })
    }

    /// This place with another scope.
    pub fn with_scope(&self, scope: Scope) -> Self {
        Self { scope, ..self.clone() }
    }

    /// The folder that a variable names, else `below` in the home folder.
    pub fn folder(&self, variable: &str, below: &str) -> PathBuf {
        self.variable(variable).unwrap_or_else(|| self.home.join(below))
    }

    /// An absolute path from a variable.
    pub fn variable(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The value of a variable.
    pub fn text(&self, name: &str) -> Option<String> {
        self.variables.get(name)?.to_str().map(str::to_owned)
    }

    /// `user` for the user, or `project` in the project folder.
    pub fn either(&self, user: PathBuf, project: &str) -> PathBuf {
        match self.scope {
            Scope::User => user,
            Scope::Project => self.project.join(project),
        }
    }

    /// The folder for records of installations.
    pub fn state(&self) -> PathBuf {
        if cfg!(windows)
            && let Some(folder) = self.variable("LOCALAPPDATA")
        {
            return folder.join("tersed").join("install");
        }
        self.folder("XDG_STATE_HOME", ".local/state").join("tersed").join("install")
    }

    /// The programs of that name in the `PATH`, in its order.
    pub fn programs(&self, name: &str) -> Vec<PathBuf> {
        programs(self.variables.get("PATH"), name)
    }
}

/// The programs of that name in a given `PATH`, each file once.
pub fn programs(path: Option<&OsString>, name: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ""] } else { &[""] };
    for folder in
        path.iter().flat_map(|path| std::env::split_paths(path)).filter(|folder| folder.is_absolute())
    {
        let mut files = endings.iter().map(|ending| folder.join(format!("{name}{ending}")));
        if let Some(file) = files.find(|file| is_program(file))
            && !found.iter().any(|known| same_file(known, &file))
        {
            found.push(file);
        }
    }
    found
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Whether a file exists and is executable.
pub fn is_program(path: &Path) -> bool {
    let Ok(about) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    about.is_file() && may_run
}

/// The user's home folder: on Unix what HOME says, never the one of the user database. Without HOME a program often
/// runs for somebody else, as a service or in a container, and would write to the wrong home folder.
fn home_folder(given: Option<OsString>) -> Result<PathBuf, String> {
    let home = if cfg!(unix) {
        given
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
            .ok_or("HOME is not set: set it to the home folder of the user whose hosts are meant")?
    } else {
        etcetera::home_dir().map_err(|e| format!("the home folder: {e}"))?
    };
    match home.is_absolute() {
        true => Ok(home),
        false => Err(format!("the home folder: {} is not absolute", home.display())),
    }
}

/// The path of this program in the `PATH`, because a link there outlives an update; else its own path.
fn own_path(path: Option<&OsString>) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|e| format!("own binary: {e}"))?;
    let found = programs(path, "tersed").into_iter().find(|found| same_file(found, &own));
    found
        .unwrap_or(own)
        .into_os_string()
        .into_string()
        .map_err(|path| format!("own binary: {path:?} is not UTF-8"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_home_folder_is_never_guessed() {
        let home = |given: Option<&str>| home_folder(given.map(OsString::from));
        assert_eq!(home(Some("/home/ada")), Ok(PathBuf::from("/home/ada")));
        for none in [None, Some("")] {
            assert!(home(none).unwrap_err().starts_with("HOME is not set: "), "{none:?}");
        }
        assert_eq!(home(Some("ada")).unwrap_err(), "the home folder: ada is not absolute");
    }
}
