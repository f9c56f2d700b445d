/** The keyboard shortcuts of every screen, and the command palette, loaded when first opened. */
export { PaletteHost } from "./palette-host.tsx";
