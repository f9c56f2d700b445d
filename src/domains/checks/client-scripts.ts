/**
 * Scripts and snippets that existing clients store with a check. This server runs no scripts, and
 * rejects those of an API check that it would have to run. Clients that manage checks from source
 * still expect to read back what they wrote, so their scripts are stored apart from the settings.
 */
type Fields = Readonly<Record<string, unknown>>;

const maxScriptLength = 500_000;
const isScript = (value: unknown) => typeof value === "string" && value.length <= maxScriptLength;
const isId = (value: unknown) => Number.isSafeInteger(value);

const fields = {
  script: isScript,
  localSetupScript: isScript,
  localTearDownScript: isScript,
  setupSnippetId: isId,
  tearDownSnippetId: isId,
} as const;

/** A symbol, so that no body of the API can contain it. */
const scripts = Symbol("scripts");

/** Separates the scripts of a body from its other fields; invalid ones stay for the validation. */
export function separateScripts(body: Fields): Fields {
  const separated = Object.entries(fields)
    .map(([name, isValid]) => ({ name, value: body[name], isValid }))
    .filter(({ value, isValid }) => value === null || isValid(value));
  const names = separated.map(({ name }) => name);
  const others = Object.entries(body).filter(([name]) => !names.includes(name));
  return {
    ...Object.fromEntries(others),
    [scripts]: Object.fromEntries(separated.map(({ name, value }) => [name, value])),
  };
}

/** Returns the scripts that `separateScripts` found; `null` if the body is not of such a client. */
export function findScripts(input: object): Fields | null {
  return (input as { readonly [scripts]?: Fields })[scripts] ?? null;
}
