"""The checks of `memlsp doctor`. They read and change nothing. Begin with `doctor`."""
