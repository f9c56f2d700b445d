/** Reads the text of a setting from the environment or from the file that it names. */
import { readFileSync } from "node:fs";
import { ExplainedError } from "./explained-error.ts";
import { fault, ok, type Parsed } from "./setting-parsers.ts";

export interface Setting<Value> {
  readonly parse: (text: string) => Parsed<Value>;
  /** As the user would write it; undefined if the setting may be absent. */
  readonly fallback: string | undefined;
  readonly allowed: string;
  readonly purpose: string;
  /** Secrets may also come from a file named by `<NAME>_FILE`. */
  readonly isSecret?: true;
}

/** Lists all faults in one message, so that they can be fixed in one go. */
export class ConfigError extends ExplainedError {
  constructor(faults: readonly string[]) {
    const list = faults.map((one) => `  ${one}`).join("\n");
    super(`The configuration has ${faults.length === 1 ? "a fault" : "faults"}:\n${list}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function readSettingText(
  name: string,
  setting: Setting<unknown>,
  environment: Environment,
): Parsed<string | undefined> {
  const direct = environment[name];
  const path = setting.isSecret ? environment[`${name}_FILE`] : undefined;
  if (direct && path) return fault(`and ${name}_FILE are both set; set one of them`);
  if (!path) return ok(direct || setting.fallback);
  try {
    return ok(readFileSync(path, "utf8").trim());
  } catch (error) {
    return fault(`cannot be read from the file ${path}: ${(error as Error).message}`);
  }
}
