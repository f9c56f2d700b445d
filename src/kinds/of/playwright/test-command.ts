/**
 * Arguments of a `playwright test` command line. Vedette parses the command line; no shell executes
 * it.
 */
export interface TestCommand {
  /** Arguments of the command, without `--config` and ignored options. */
  readonly values: readonly string[];
  /** Path of the configuration, relative to the working folder; `null` for the default name. */
  readonly configPath: string | null;
}

export const defaultCommand = "npx playwright test";

interface Option {
  /** Number of values that follow the option. Without this field, the option has no value. */
  readonly takes?: "one" | "many";
  /** How the parser handles the option. Without this field, the option is passed to Playwright. */
  readonly use?: "config" | "ignored";
}

const one = { takes: "one" } as const;
const ignoredValue = { takes: "one", use: "ignored" } as const;

/**
 * Supported options. Options that need a terminal, a screen or a working copy of the code are
 * missing or ignored.
 */
const options: Readonly<Record<string, Option>> = {
  "--config": { takes: "one", use: "config" },
  "--forbid-only": {},
  "--fully-parallel": {},
  "--global-timeout": one,
  "--grep": one,
  "--grep-invert": one,
  "--ignore-snapshots": {},
  "--last-failed": { use: "ignored" },
  "--max-failures": one,
  "--no-deps": {},
  "--output": ignoredValue,
  "--pass-with-no-tests": {},
  "--project": { takes: "many" },
  "--quiet": {},
  "--repeat-each": one,
  // Ignored, because Vedette uses its own reporter.
  "--reporter": ignoredValue,
  "--retries": one,
  "--shard": one,
  "--timeout": one,
  "--trace": one,
  "--tsconfig": one,
  "--update-snapshots": { use: "ignored" },
  "--workers": one,
  "-x": {},
};

const shortNames: Readonly<Record<string, string>> = {
  "-c": "--config",
  "-g": "--grep",
  "-gv": "--grep-invert",
  "-j": "--workers",
  "-u": "--update-snapshots",
};

const usage = `must be \`${defaultCommand}\` with its options`;

/** Parses a command line. Returns the arguments, or the rule that the command line violates. */
export function parseTestCommand(text: string): TestCommand | { readonly rule: string } {
  const words = splitWords(text);
  if ("rule" in words) return words;
  const [program, ...rest] = words.list;
  const afterFlags = rest.slice(rest.findIndex((word) => !npxFlags.has(word)));
  const [tool, verb, ...values] = afterFlags;
  if (program !== "npx" || tool !== "playwright" || verb !== "test") {
    return { rule: `${usage}; no other program is run, and no shell` };
  }
  return readValues(values);
}

const npxFlags = new Set(["--no", "--no-install", "--yes", "-y"]);

function readValues(values: readonly string[]): TestCommand | { readonly rule: string } {
  const passed: string[] = [];
  let configPath: string | null = null;
  for (let at = 0; at < values.length; at += 1) {
    const word = values[at] ?? "";
    if (!word.startsWith("-")) {
      passed.push(word);
      continue;
    }
    const [written = "", ...inline] = word.split("=");
    const name = shortNames[written] ?? written;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined)
      return { rule: `${usage}; ${written.slice(0, 100)} is not supported` };
    const own = inline.length > 0 ? [inline.join("=")] : [];
    const following = own.length > 0 ? [] : takeValues(values.slice(at + 1), option.takes);
    at += following.length;
    const given = [...own, ...following];
    if (option.takes !== undefined && given.length === 0) {
      return { rule: `${usage}; ${name} needs a value` };
    }
    if (option.takes === undefined && own.length > 0) {
      return { rule: `${usage}; ${name} has no value` };
    }
    if (option.use === "config") configPath = given[0] ?? null;
    if (option.use === undefined) {
      // The value is appended with "=", because Playwright would otherwise interpret a value that
      // starts with "-" as an option.
      passed.push(...(given.length === 0 ? [name] : given.map((value) => `${name}=${value}`)));
    }
  }
  return { values: passed, configPath };
}

function takeValues(words: readonly string[], takes: Option["takes"]): readonly string[] {
  if (takes === undefined) return [];
  if (takes === "one") return words.slice(0, 1);
  const end = words.findIndex((word) => word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
}

/** Characters that a shell would interpret outside quotes. */
const interpreted = /[|&;<>()$`*?[\]{}!#~\n\r]/;
const interpretedInQuotes = /[$`]/;

/** Splits a command line into words as a shell does. Rejects all other shell syntax. */
function splitWords(text: string): { readonly list: string[] } | { readonly rule: string } {
  const list: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (quote === "'" ? letter === "'" : quote === '"' && letter === '"') {
      quote = "";
    } else if (quote === "'") {
      word += letter;
    } else if (letter === "\\") {
      at += 1;
      word = (word ?? "") + (text[at] ?? "");
    } else if ((quote === "" ? interpreted : interpretedInQuotes).test(letter)) {
      return { rule: `${usage}; ${JSON.stringify(letter)} has to be in single quotes` };
    } else if (quote === "" && (letter === "'" || letter === '"')) {
      quote = letter;
      word ??= "";
    } else if (quote === "" && /\s/.test(letter)) {
      if (word !== null) list.push(word);
      word = null;
    } else {
      word = (word ?? "") + letter;
    }
  }
  if (quote !== "") return { rule: `${usage}; a quote is not closed` };
  return { list: word === null ? list : [...list, word] };
}
