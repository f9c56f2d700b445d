/**
 * The keyboard shortcuts of every screen, and the command palette, which is loaded when it is first
 * opened.
 */
export { PaletteHost } from "./palette-host.tsx";
