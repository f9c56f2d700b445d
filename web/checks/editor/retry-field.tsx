import { NativeSelect } from "@mantine/core";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import type { AnyValues } from "../../kinds/form-values.ts";
import { isSame } from "../../parts/fields.ts";
import { words } from "./words.ts";

const shared = { sameRegion: true, maxDurationSeconds: 600, onlyOn: [] };

/** Common retry strategies. A custom one set through the API is kept. */
const strategies = {
  none: null,
  once: { type: "SINGLE_RETRY", baseBackoffSeconds: 0, maxRetries: 1, ...shared },
  twice: { type: "FIXED", baseBackoffSeconds: 60, maxRetries: 2, ...shared },
} as const satisfies Readonly<Record<string, AnyValues["retryStrategy"]>>;

export type RetryName = keyof typeof strategies | "other";

export function nameStrategy(strategy: unknown): RetryName {
  const names = Object.keys(strategies) as (keyof typeof strategies)[];
  return names.find((name) => isSame(strategies[name], strategy ?? null)) ?? "other";
}

export function RetryField() {
  const { values, set, findFieldError, noteLabel } = useEditor();
  noteLabel("retryStrategy", words.retries);
  const name = nameStrategy(values.retryStrategy);
  return (
    <NativeSelect
      label={words.retries}
      data-path="retryStrategy"
      error={findFieldError("retryStrategy")}
      data={[
        { value: "none", label: words.noRetry },
        { value: "once", label: words.retryOnce },
        { value: "twice", label: words.retryTwice },
        ...(name === "other" ? [{ value: "other", label: words.retryOther }] : []),
      ]}
      value={name}
      onChange={({ currentTarget: { value } }) => {
        if (value !== "other") set("retryStrategy", strategies[value as keyof typeof strategies]);
      }}
    />
  );
}
