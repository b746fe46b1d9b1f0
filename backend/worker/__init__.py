"""The worker: the child process that serves the add-on over its standard streams."""
