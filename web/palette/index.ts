/**
 * The command palette and the keyboard shortcuts of every screen. The palette itself is loaded
 * when it is first opened.
 */
export { PaletteHost } from "./palette-host.tsx";
