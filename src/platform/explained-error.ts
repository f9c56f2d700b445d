/**
 * Its message explains to the operator what is wrong and what to do, so it is printed without a
 * stack. Any other error that ends the program is a bug and is printed with its stack.
 */
export class ExplainedError extends Error {}
