import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { IconButton } from "./buttons.tsx";
import styles from "./check-picker.module.css";
import { CloseIcon } from "./icons.tsx";
import { Row, Stack } from "./layout.tsx";
import listStyles from "./list.module.css";
import { checkNameQuery, foundChecksQuery } from "./queries.ts";
import textStyles from "./text.module.css";
import { useSettled } from "./use-typed-text.ts";

const words = {
  search: "Search by name, target or tag",
  checks: "Checks",
  none: "No other check matches.",
  more: (count: number) => `${count.toLocaleString("en")} more: type to find them.`,
  loading: "…",
  gone: "A check that is gone",
} as const;

const settleMs = 200;
const maxChosen = 100;

export interface ChosenCheck {
  readonly id: string;
  /** Name of the check; `null` if the name could not be loaded or the check was deleted. */
  readonly name: string | null;
}

const noNames: ReadonlyMap<string, string | null> = new Map();

/** Returns the checks with the given ids. Names that are not in `known` are fetched. */
export function useChosenChecks(
  ids: readonly string[],
  known: ReadonlyMap<string, string | null> = noNames,
): readonly ChosenCheck[] {
  const unknown = ids.filter((id) => !known.has(id));
  const names = useQueries({ queries: unknown.map(checkNameQuery) });
  return ids.map((id) => {
    if (known.has(id)) return { id, name: known.get(id) ?? null };
    const { data, isPending = false } = names[unknown.indexOf(id)] ?? {};
    return { id, name: data ?? (isPending ? words.loading : null) };
  });
}

interface CheckPickerProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly chosen: readonly ChosenCheck[];
  /** Id of a check that cannot be selected. */
  readonly exceptId?: string;
  readonly isReadOnly?: boolean;
  readonly formatRemoveLabel: (name: string) => string;
  readonly onChange: (chosen: readonly ChosenCheck[]) => void;
}

/** Selects checks. The server searches them, because an account may have thousands of checks. */
export function CheckPicker(props: CheckPickerProps) {
  const { label, chosen, isReadOnly = false, formatRemoveLabel, onChange } = props;
  return (
    <div>
      {isReadOnly ? <p className={textStyles.strong}>{label}</p> : <SearchField {...props} />}
      {chosen.length > 0 && (
        <Stack as="ul" gap={0} className={styles.chosen} aria-label={label}>
          {chosen.map(({ id, name }) => (
            <Row as="li" nowrap justify="between" key={id}>
              <bdi>{name ?? words.gone}</bdi>
              {!isReadOnly && (
                <IconButton
                  aria-label={formatRemoveLabel(name ?? words.gone)}
                  onClick={() => onChange(chosen.filter((one) => one.id !== id))}
                >
                  <CloseIcon size={16} />
                </IconButton>
              )}
            </Row>
          ))}
        </Stack>
      )}
    </div>
  );
}

function SearchField({ label, hint, fault, chosen, exceptId, onChange }: CheckPickerProps) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const { data } = useQuery(foundChecksQuery(useSettled(text, settleMs).trim().slice(0, 255)));
  const taken = new Set([exceptId, ...chosen.map(({ id }) => id)]);
  const entries = data?.entries ?? [];
  const found = entries.filter(({ checkId }) => !taken.has(checkId));
  const rest = (data?.total ?? 0) - entries.length;
  const choose = (id: string) => {
    const name = entries.find(({ checkId }) => checkId === id)?.name ?? null;
    if (name !== null) client.setQueryData(checkNameQuery(id).queryKey, name);
    setText("");
    combobox.closeDropdown();
    onChange([...chosen, { id, name }]);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.Target>
        <TextInput
          label={label}
          description={hint}
          placeholder={words.search}
          value={text}
          maxLength={255}
          error={fault}
          disabled={chosen.length >= maxChosen}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            combobox.openDropdown();
            combobox.selectFirstOption();
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options className={listStyles.options ?? ""} aria-label={words.checks}>
          {found.map(({ checkId, name, target }) => (
            <Combobox.Option key={checkId} value={checkId}>
              <bdi>{name}</bdi> <bdi className={textStyles.hint}>{target}</bdi>
            </Combobox.Option>
          ))}
          {data !== undefined && found.length === 0 && (
            <Combobox.Empty>{words.none}</Combobox.Empty>
          )}
        </Combobox.Options>
        {rest > 0 && <Combobox.Footer>{words.more(rest)}</Combobox.Footer>}
      </Combobox.Dropdown>
    </Combobox>
  );
}
