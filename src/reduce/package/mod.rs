//! Package managers, images and transfers: progress is left out; versions, counts, vulnerabilities, warnings
//! and errors are kept.

mod apk;
mod apt;
mod brew;
mod bun;
mod cargo_packages;
mod composer;
mod conda;
mod dnf;
mod docker_build;
mod docker_layers;
mod ffmpeg;
mod gem;
mod go_modules;
mod npm;
mod nuget;
mod pip;
mod pipenv;
mod pnpm;
mod poetry;
mod transfer;
mod uv;
mod wget;
mod yarn;
mod yarn_berry;

use super::Reducer;

/// The reducers of this family. If two claim a text equally, the one listed first wins.
///
/// Builds of images come first: a step of a build may run any of the other tools.
pub static REDUCERS: &[&dyn Reducer] = &[
    &docker_build::DockerBuild,
    &docker_layers::DockerLayers,
    &npm::NPM,
    &pnpm::PNPM,
    &yarn_berry::YARN_BERRY,
    &yarn::YARN,
    &bun::BUN,
    &pip::PIP,
    &uv::UV,
    &poetry::POETRY,
    &pipenv::PIPENV,
    &conda::CONDA,
    &cargo_packages::CARGO_PACKAGES,
    &go_modules::GO_MODULES,
    &apt::Apt,
    &apk::APK,
    &dnf::Dnf,
    &brew::BREW,
    &gem::GEM,
    &composer::COMPOSER,
    &nuget::NUGET,
    &wget::Wget,
    &transfer::Transfer,
    &ffmpeg::FFMPEG,
];
