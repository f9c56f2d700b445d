import { Button, Radio } from "@mantine/core";
import { useState } from "react";
import { Callout } from "../parts/blocks.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { mask } from "../parts/secrets.ts";
import styles from "./editing.module.css";
import { type Change, type Choice, combine, findChanges, type Versions } from "./merge.ts";
import { words } from "./words.ts";

/** How the values of a form are named to people. */
export interface Naming {
  /** What is edited: "this group". */
  readonly subject: string;
  /** Labels of the fields by their path. */
  readonly labels: ReadonlyMap<string, string>;
  /** Formats a value that is not meant for people, such as an id; `undefined` for any other. */
  readonly format?: (path: string, value: unknown) => string | undefined;
}

interface ConflictPanelProps<Values extends object> extends Naming {
  readonly conflict: Versions<Values>;
  readonly onResolve: (values: Values) => void;
}

const maxShownLength = 120;

function show(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    return value.length === 0 ? "–" : value.join(", ");
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === mask) return words.hidden;
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}

/** Shows what somebody else changed, with a choice for each field that both changed. */
export function ConflictPanel<Values extends object>(props: ConflictPanelProps<Values>) {
  const { conflict, subject, labels, format, onResolve } = props;
  const changes = findChanges(conflict);
  const contested = changes.filter(({ isContested }) => isContested);
  const taken = changes.filter(({ isContested }) => !isContested);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const resolve = (whole: Choice | null) => {
    const all = contested.map(({ path }) => [path, whole ?? choices.get(path) ?? "mine"] as const);
    onResolve(combine(conflict, new Map(all)));
  };
  const title = words.conflictTitle(subject);
  const nameField = (path: string) => labels.get(path) ?? path;
  const showAt = (path: string) => (value: unknown) => format?.(path, value) ?? show(value);
  return (
    <Callout as="section" tone="fair" aria-label={title} role="alert">
      <h2>{title}</h2>
      <p>{words.conflictText}</p>
      {contested.length > 0 && <h3>{words.contested}</h3>}
      {contested.map((change) => (
        <ContestedField
          key={change.path}
          change={change}
          name={nameField(change.path)}
          show={showAt(change.path)}
          choice={choices.get(change.path) ?? "mine"}
          onChoose={(choice) => setChoices(new Map(choices).set(change.path, choice))}
        />
      ))}
      {taken.length > 0 && (
        <>
          <h3>{words.theirsTaken}</h3>
          <Stack as="ul" gap={1} className={styles.taken}>
            {taken.map(({ path, base, theirs }) => (
              <li key={path}>
                <strong>{nameField(path)}</strong>: <del>{showAt(path)(base)}</del>{" "}
                <ins>{showAt(path)(theirs)}</ins>
              </li>
            ))}
          </Stack>
        </>
      )}
      <Row>
        <Button onClick={() => resolve(null)}>{words.useChoice}</Button>
        {contested.length > 0 && (
          <>
            <Button variant="default" onClick={() => resolve("mine")}>
              {words.keepMine}
            </Button>
            <Button variant="default" onClick={() => resolve("theirs")}>
              {words.takeTheirs}
            </Button>
          </>
        )}
      </Row>
    </Callout>
  );
}

interface ContestedFieldProps {
  readonly change: Change;
  readonly name: string;
  readonly show: (value: unknown) => string;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

function ContestedField({ change, name, show, choice, onChoose }: ContestedFieldProps) {
  return (
    <Radio.Group label={name} value={choice} onChange={(value) => onChoose(value as Choice)}>
      <Row gap={6}>
        <Radio value="mine" label={words.mine} description={show(change.mine)} />
        <Radio value="theirs" label={words.theirs} description={show(change.theirs)} />
      </Row>
    </Radio.Group>
  );
}
