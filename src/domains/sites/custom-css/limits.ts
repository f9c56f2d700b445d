export const maxCssBytes = 64 * 1024;
