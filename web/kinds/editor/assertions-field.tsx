import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconButton } from "../../parts/buttons.tsx";
import { type Fields, getList, getText } from "../../parts/fields.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { comparisons, formatComparison, needsTarget } from "../sentences.ts";
import { useEditor } from "./editor-context.ts";
import styles from "./fields.module.css";
import { Completed } from "./variable-completion.tsx";
import { words } from "./words.ts";

/** A part of a result that an assertion can test. */
export interface SourceChoice {
  readonly value: string;
  readonly label: string;
  /** Determines the comparisons that are offered for the value. */
  readonly holds: "number" | "text" | "anything";
  /**
   * Selects a part of the source: one of `names`, or any text. `null` if the source has no parts.
   */
  readonly property: { readonly example: string; readonly names?: readonly string[] } | null;
}

const numeric = new Set(["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"]);
const textual = new Set([...numeric, "IS_EMPTY", "NOT_EMPTY", "CONTAINS", "NOT_CONTAINS"]);

function listComparisons({ holds }: SourceChoice): readonly string[] {
  if (holds === "anything") return comparisons;
  const known = holds === "number" ? numeric : textual;
  return comparisons.filter((comparison) => known.has(comparison));
}

interface AssertionsFieldProps {
  readonly sources: readonly SourceChoice[];
  readonly hint: string;
}

const path = "request.assertions";

export function AssertionsField({ sources, hint }: AssertionsFieldProps) {
  const { values, set, noteLabel } = useEditor();
  noteLabel(path, words.assertions);
  const all = getList(values, path);
  const [first] = sources;
  const add = () => {
    if (first === undefined) return;
    const property = first.property?.names?.[0] ?? "";
    set(path, [...all, { source: first.value, property, comparison: "EQUALS", target: "" }]);
  };
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.strong}>{words.assertions}</legend>
      <p className={textStyles.hint}>{hint}</p>
      {all.map((assertion, index) => (
        <Assertion
          // biome-ignore lint/suspicious/noArrayIndexKey: the API knows them by their place too
          key={index}
          assertion={assertion}
          index={index}
          sources={sources}
          onRemove={() => set(path, all.toSpliced(index, 1))}
        />
      ))}
      <Button className={styles.add} variant="default" size="compact-sm" onClick={add}>
        {words.addAssertion}
      </Button>
    </Stack>
  );
}

interface AssertionProps {
  readonly assertion: Fields;
  readonly index: number;
  readonly sources: readonly SourceChoice[];
  readonly onRemove: () => void;
}

function Assertion({ assertion, index, sources, onRemove }: AssertionProps) {
  const { set, findFieldError } = useEditor();
  const own = `${path}.${index}`;
  const title = words.assertion(index + 1);
  const [first] = sources;
  const source = sources.find(({ value }) => value === getText(assertion, "source")) ?? first;
  if (source === undefined) return null;
  const comparison = getText(assertion, "comparison");
  const part = (name: string) => ({
    "aria-label": `${words[name as "source" | "property" | "comparison" | "target"]}, ${title}`,
    "data-path": `${own}.${name}`,
    error: findFieldError(`${own}.${name}`),
  });
  const chooseSource = (value: string) => {
    const chosen = sources.find((one) => one.value === value) ?? source;
    const known = listComparisons(chosen);
    set(own, {
      ...assertion,
      source: chosen.value,
      property: chosen.property?.names?.[0] ?? "",
      comparison: known.includes(comparison) ? comparison : "EQUALS",
    });
  };
  return (
    <div className={`${styles.item} ${styles.assertion}`}>
      <NativeSelect
        {...part("source")}
        data={sources.map(({ value, label }) => ({ value, label }))}
        value={source.value}
        onChange={({ currentTarget }) => chooseSource(currentTarget.value)}
      />
      <Property assertion={assertion} own={own} source={source} shared={part("property")} />
      <NativeSelect
        {...part("comparison")}
        data={listComparisons(source).map((value) => ({ value, label: formatComparison(value) }))}
        value={comparison}
        onChange={({ currentTarget }) => set(`${own}.comparison`, currentTarget.value)}
      />
      {needsTarget(comparison) ? (
        <Completed
          value={getText(assertion, "target")}
          onText={(text) => set(`${own}.target`, text)}
        >
          {(input) => (
            <TextInput
              {...part("target")}
              {...input}
              placeholder={words.target}
              spellCheck={false}
              autoComplete="off"
            />
          )}
        </Completed>
      ) : (
        <span />
      )}
      <IconButton aria-label={words.remove(title)} onClick={onRemove}>
        <CloseIcon size={14} />
      </IconButton>
    </div>
  );
}

interface PropertyProps {
  readonly assertion: Fields;
  readonly own: string;
  readonly source: SourceChoice;
  readonly shared: object;
}

function Property({ assertion, own, source, shared }: PropertyProps) {
  const { set } = useEditor();
  const value = getText(assertion, "property");
  if (source.property === null) return <span />;
  const { names, example } = source.property;
  if (names !== undefined) {
    return (
      <NativeSelect
        {...shared}
        data={[...names]}
        value={value}
        onChange={({ currentTarget }) => set(`${own}.property`, currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      placeholder={example}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => set(`${own}.property`, currentTarget.value)}
    />
  );
}
