import { Button, Checkbox, TextInput } from "@mantine/core";
import { IconButton } from "../../parts/buttons.tsx";
import { getList, type PathTo } from "../../parts/fields.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { AnyValues } from "../form-values.ts";
import { useFieldEditor } from "./editor-context.ts";
import styles from "./fields.module.css";
import { Completed } from "./variable-completion.tsx";
import { words } from "./words.ts";

/**
 * Text that responses contain instead of a secret. Sending this text in a request keeps the stored
 * secret.
 */
export const secretMask = "********";

/**
 * A name and a value. `locked` or `secret` is set if the value is secret; each list uses one of
 * these properties.
 */
interface PairValue {
  readonly key?: string | undefined;
  readonly value?: string | null | undefined;
  readonly locked?: boolean | undefined;
  readonly secret?: boolean | undefined;
}

interface PairsFieldProps {
  readonly path: PathTo<AnyValues, readonly PairValue[]>;
  readonly label: string;
  readonly one: string;
  readonly hint?: string;
  /** Name of the property that marks a value as secret; absent if the list has no secret values. */
  readonly secretField?: "locked" | "secret";
}

/** Edits name-value pairs, such as headers. A value may be secret. */
export function PairsField({ path, label, one, hint, secretField }: PairsFieldProps) {
  const { values, set, noteLabel } = useFieldEditor();
  noteLabel(path, label);
  const pairs: readonly PairValue[] = getList(values, path);
  const flag = secretField === undefined ? {} : { [secretField]: false };
  const add = () => set(path, [...pairs, { key: "", value: "", ...flag }]);
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.strong}>{label}</legend>
      {hint && <p className={textStyles.hint}>{hint}</p>}
      {pairs.map((pair, index) => (
        <Pair
          // biome-ignore lint/suspicious/noArrayIndexKey: pairs have no id
          key={index}
          path={`${path}.${index}`}
          pair={pair}
          title={`${one} ${index + 1}`}
          secretField={secretField}
          onRemove={() => set(path, pairs.toSpliced(index, 1))}
        />
      ))}
      <Button className={styles.add} variant="default" size="compact-sm" onClick={add}>
        {words.add} {one}
      </Button>
    </Stack>
  );
}

interface PairProps {
  readonly path: string;
  readonly pair: PairValue;
  readonly title: string;
  readonly secretField: "locked" | "secret" | undefined;
  readonly onRemove: () => void;
}

function Pair({ path, pair, title, secretField, onRemove }: PairProps) {
  const { set, findFieldError } = useFieldEditor();
  const isSecret = secretField !== undefined && pair[secretField] === true;
  const value = pair.value ?? "";
  const markSecret = (secret: boolean) => {
    // If the value is no longer secret, its mask is removed. Otherwise, the API would store the
    // mask as the value.
    const kept = !secret && value === secretMask ? "" : value;
    set(path, { ...pair, value: kept, ...(secretField && { [secretField]: secret }) });
  };
  return (
    <div className={`${styles.item} ${styles.pair}`}>
      <TextInput
        aria-label={`${words.name}, ${title}`}
        placeholder={words.name}
        data-path={`${path}.key`}
        error={findFieldError(`${path}.key`)}
        value={pair.key ?? ""}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => set(`${path}.key`, currentTarget.value)}
      />
      <Completed value={value} onText={(text) => set(`${path}.value`, text)}>
        {(input) => (
          <TextInput
            {...input}
            aria-label={`${words.value}, ${title}`}
            placeholder={words.value}
            data-path={`${path}.value`}
            error={findFieldError(`${path}.value`)}
            type={isSecret ? "password" : "text"}
            spellCheck={false}
            autoComplete={isSecret ? "new-password" : "off"}
            onFocus={({ currentTarget }) => isSecret && currentTarget.select()}
          />
        )}
      </Completed>
      {secretField !== undefined && (
        <Checkbox
          className={styles.secret ?? ""}
          label={words.secret}
          aria-label={`${words.secret}, ${title}`}
          checked={isSecret}
          onChange={({ currentTarget }) => markSecret(currentTarget.checked)}
        />
      )}
      <IconButton aria-label={words.remove(title)} onClick={onRemove}>
        <CloseIcon size={14} />
      </IconButton>
    </div>
  );
}
