import { Button, Radio } from "@mantine/core";
import { useState } from "react";
import type { Fields } from "../../kinds/fields.ts";
import { type Change, type Choice, combine, findChanges } from "./changes.ts";
import styles from "./conflict-panel.module.css";
import { words } from "./words.ts";

export interface Conflict {
  readonly base: Fields;
  readonly mine: Fields;
  readonly theirs: Fields;
  readonly etag: string | null;
}

interface ConflictPanelProps {
  /** Whose change it is about; a check by default. */
  readonly title?: string;
  readonly conflict: Conflict;
  readonly labels: ReadonlyMap<string, string>;
  readonly onSettle: (values: Fields) => void;
}

const maxShownLength = 120;

function show(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    return value.length === 0 ? "–" : value.join(", ");
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}

/** What somebody else changed since; where both did, a choice for each field. */
export function ConflictPanel(props: ConflictPanelProps) {
  const { conflict, labels, onSettle, title = words.conflictTitle } = props;
  const { base, mine, theirs } = conflict;
  const changes = findChanges(base, mine, theirs);
  const contested = changes.filter(({ isContested }) => isContested);
  const taken = changes.filter(({ isContested }) => !isContested);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const settle = (whole: Choice | null) => {
    const all = contested.map(({ path }) => [path, whole ?? choices.get(path) ?? "mine"] as const);
    onSettle(combine({ base, mine, theirs }, new Map(all)));
  };
  const name = (path: string) => labels.get(path) ?? path;
  return (
    <section className={styles.panel} aria-label={title} role="alert">
      <h2>{title}</h2>
      <p>{words.conflictText}</p>
      {contested.length > 0 && <h3>{words.contested}</h3>}
      {contested.map((change) => (
        <ContestedField
          key={change.path}
          change={change}
          name={name(change.path)}
          choice={choices.get(change.path) ?? "mine"}
          onChoose={(choice) => setChoices(new Map(choices).set(change.path, choice))}
        />
      ))}
      {taken.length > 0 && (
        <>
          <h3>{words.theirsTaken}</h3>
          <ul className={styles.taken}>
            {taken.map(({ path, base: was, theirs: now }) => (
              <li key={path}>
                <strong>{name(path)}</strong>: <del>{show(was)}</del> <ins>{show(now)}</ins>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className={styles.actions}>
        <Button onClick={() => settle(null)}>{words.useChoice}</Button>
        {contested.length > 0 && (
          <>
            <Button variant="default" onClick={() => settle("mine")}>
              {words.keepMine}
            </Button>
            <Button variant="default" onClick={() => settle("theirs")}>
              {words.takeTheirs}
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

interface ContestedFieldProps {
  readonly change: Change;
  readonly name: string;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

function ContestedField({ change, name, choice, onChoose }: ContestedFieldProps) {
  return (
    <Radio.Group label={name} value={choice} onChange={(value) => onChoose(value as Choice)}>
      <div className={styles.choices}>
        <Radio value="mine" label={words.mine} description={show(change.mine)} />
        <Radio value="theirs" label={words.theirs} description={show(change.theirs)} />
      </div>
    </Radio.Group>
  );
}
