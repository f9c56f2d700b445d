/**
 * Runs cleanup steps in reverse order of their registration. A failing step does not prevent the
 * others.
 */
export class Endings {
  readonly #steps: (() => unknown)[] = [];

  readonly after = (step: () => unknown): void => {
    this.#steps.push(step);
  };

  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, "not everything stopped cleanly");
  }
}
