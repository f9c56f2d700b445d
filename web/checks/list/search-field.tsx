import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { SearchIcon } from "../../parts/icons.tsx";
import styles from "./list-screen.module.css";
import type { ListSearch } from "./search.ts";
import { words } from "./words.ts";

interface SearchFieldProps {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch, isTyping: boolean) => void;
}

const pauseMs = 150;

/** Searches while somebody types, after a short pause. */
export function SearchField({ search, onChange }: SearchFieldProps) {
  const { q = "", ...rest } = search;
  const [text, setText] = useState(q);
  const [lastAsked, setLastAsked] = useState(q);
  // A view was opened, or the reader went back: the address says something else now.
  if (q !== lastAsked) {
    setLastAsked(q);
    setText(q);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the pause
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => {
      const next = text.trim();
      setLastAsked(next);
      onChange(next === "" ? rest : { ...rest, q: next }, true);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
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
