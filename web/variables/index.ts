/**
 * Variables that checks insert into their settings, and the settings screen that manages them.
 */
export { words as variableWords } from "./words.ts";
