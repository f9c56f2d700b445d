/**
 * Its message tells the person at the terminal what is wrong and what to do, so it is printed
 * alone. Every other error that ends the program is a bug, and is printed with its stack.
 */
export class ExplainedError extends Error {}
