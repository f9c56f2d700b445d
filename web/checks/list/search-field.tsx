import { TextInput } from "@mantine/core";
import { SearchIcon } from "../../parts/icons.tsx";
import { useTypedText } from "../../parts/use-typed-text.ts";
import styles from "./list-screen.module.css";
import type { ListSearch } from "./search.ts";
import { words } from "./words.ts";

interface SearchFieldProps {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch, isTyping: boolean) => void;
}

const pauseMs = 150;

/** Edits the search text. The search starts when the user pauses typing. */
export function SearchField({ search, onChange }: SearchFieldProps) {
  const { q = "", ...rest } = search;
  const [text, setText] = useTypedText(q, pauseMs, (next) =>
    onChange(next === "" ? rest : { ...rest, q: next }, true),
  );
  return (
    <TextInput
      className={styles.search ?? ""}
      type="search"
      size="sm"
      aria-label={words.search}
      placeholder={words.searchHint}
      leftSection={<SearchIcon size={16} />}
      value={text}
      maxLength={255}
      data-list-search
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
