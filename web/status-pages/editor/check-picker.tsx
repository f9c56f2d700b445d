import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, send } from "../../api/client.ts";
import styles from "./cards.module.css";
import { CrossButton } from "./cross-button.tsx";
import { words } from "./words.ts";

const settleMs = 200;
const maxFound = 20;
const maxChosen = 100;

const searchQuery = (search: string) =>
  queryOptions({
    queryKey: ["checks", "found-to-follow", search],
    queryFn: ({ signal }) => {
      const query = { limit: maxFound, page: 1, sort: "name", order: "asc" } as const;
      const params = { query: search === "" ? query : { ...query, search } };
      return send(api.GET("/v1/check-overviews", { params, signal }));
    },
    placeholderData: keepPreviousData,
  });

const nameQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "name"],
    queryFn: async ({ signal }) => {
      const check = await send(api.GET("/v1/checks/{id}", { params: { path: { id } }, signal }));
      return check.name;
    },
  });

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface CheckPickerProps {
  readonly checkIds: readonly string[];
  readonly fault: string | undefined;
  readonly onChange: (checkIds: readonly string[]) => void;
}

function Chosen({ checkIds, onChange }: Omit<CheckPickerProps, "fault">) {
  const names = useQueries({ queries: checkIds.map(nameQuery) });
  return (
    <ul className={styles.chosen}>
      {checkIds.map((id, index) => {
        const name = names[index]?.data ?? words.unknownCheck;
        return (
          <li key={id}>
            <bdi>{name}</bdi>
            <CrossButton
              label={words.unfollow(name)}
              onClick={() => onChange(checkIds.filter((one) => one !== id))}
            />
          </li>
        );
      })}
    </ul>
  );
}

/** The checks that a service follows, chosen by search. */
export function CheckPicker({ checkIds, fault, onChange }: CheckPickerProps) {
  const [text, setText] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const { data } = useQuery(searchQuery(useSettled(text).trim().slice(0, 255)));
  const found = (data?.entries ?? []).filter(({ checkId }) => !checkIds.includes(checkId));
  return (
    <div>
      <Combobox
        store={combobox}
        onOptionSubmit={(id) => {
          setText("");
          combobox.closeDropdown();
          onChange([...checkIds, id]);
        }}
      >
        <Combobox.Target>
          <TextInput
            label={words.followChecks}
            description={words.followHint}
            placeholder={words.searchChecks}
            value={text}
            maxLength={255}
            error={fault}
            disabled={checkIds.length >= maxChosen}
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
          <Combobox.Options className={styles.options ?? ""} aria-label={words.checks}>
            {found.map(({ checkId, name, target }) => (
              <Combobox.Option key={checkId} value={checkId}>
                <bdi>{name}</bdi> <bdi className={styles.hint}>{target}</bdi>
              </Combobox.Option>
            ))}
            {found.length === 0 && <Combobox.Empty>{words.noChecksFound}</Combobox.Empty>}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <Chosen checkIds={checkIds} onChange={onChange} />
    </div>
  );
}
