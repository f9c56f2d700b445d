// Without imports, because the socket thread loads it.

/** Characters of `data`. */
export const maxDataLength = 4_096;
/** Of an answer so many bytes are read and kept; then the probe hangs up. */
export const maxKeptBytes = 4_096;
