//! On macOS the linker must be told that Python's symbols come with the interpreter; elsewhere this does nothing.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
