//! Opens files of records, packed or not. Errors never quote their content.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Opens a file of records, packed or not. An error does not name the file.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let packed = path.extension().is_some_and(|e| e == "zst");
    if packed {
        let mut decoder = zstd::Decoder::new(file).map_err(|e| e.to_string())?;
        // Windows of up to 2 GiB, as `zstd --long=31` writes them.
        decoder.window_log_max(31).map_err(|e| e.to_string())?;
        Ok(Box::new(decoder))
    } else {
        Ok(Box::new(file))
    }
}
