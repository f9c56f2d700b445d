/**
 * The command palette and the keyboard shortcuts of every screen. The palette's code is loaded when
 * the palette is first opened.
 */
export { PaletteHost } from "./palette-host.tsx";
