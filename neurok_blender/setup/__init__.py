"""Setting up the backend: which Python runs it, GPU environments, paths, diagnostics."""
