import { Button, NativeSelect, TextInput } from "@mantine/core";
import type { ComponentType } from "react";
import { IconButton } from "../../parts/buttons.tsx";
import { getList, getNumber, getText, type PathTo } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { CloseIcon } from "../../parts/icons.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import type { AnyValues, CheckKind, CheckType, CheckValues } from "../form-values.ts";
import {
  type AnyAssertion,
  comparisons,
  formatComparison,
  formatFamily,
  needsTarget,
  type SourceOf,
} from "../sentences.ts";
import { findLimits, useEditor, useFieldEditor } from "./editor-context.ts";
import styles from "./fields.module.css";
import { anyFields } from "./fields.tsx";
import { Completed } from "./variable-completion.tsx";
import { words } from "./words.ts";

const { NumberField, SelectField } = anyFields;

/** Edits the response time limits above which a run is degraded or failing. */
export function TimeLimits() {
  return (
    <>
      <FieldRow>
        <NumberField
          path="degradedResponseTime"
          label={words.degraded}
          unit={words.ms}
          hint={words.limitHint}
        />
        <NumberField
          path="maxResponseTime"
          label={words.failing}
          unit={words.ms}
          hint={words.limitHint}
        />
      </FieldRow>
      <LimitOrder degraded="degradedResponseTime" failing="maxResponseTime" />
    </>
  );
}

interface LimitOrderProps {
  /** Path of the degraded limit. */
  readonly degraded: PathTo<AnyValues, number>;
  readonly failing: PathTo<AnyValues, number>;
}

/**
 * Warns if the failing limit is not above the degraded limit, because no run can then be degraded.
 */
export function LimitOrder({ degraded, failing }: LimitOrderProps) {
  const { values } = useEditor();
  const lower = getNumber(values, degraded);
  const upper = getNumber(values, failing);
  const isReached = lower === null || upper === null || lower < upper;
  return (
    <div role="status">
      {!isReached && (
        <p className={`${textStyles.fair} ${textStyles.small}`}>{words.neverDegraded}</p>
      )}
    </div>
  );
}

interface FamilyFieldProps {
  readonly path?: PathTo<AnyValues, "IPv4" | "IPv6" | "BOTH" | null>;
  /** Label of the option for no value; absent if the API requires a value. */
  readonly none?: string;
}

export function FamilyField({ path = "request.ipFamily", none }: FamilyFieldProps) {
  const { kind } = useEditor();
  const hasBoth = findLimits(kind, path).enum?.includes("BOTH") === true;
  return (
    <SelectField
      path={path}
      label={words.ipFamily}
      labels={{ IPv4: "IPv4", IPv6: "IPv6", BOTH: formatFamily("BOTH") }}
      {...(none !== undefined && { none })}
      {...(hasBoth && { hint: words.bothFamilies })}
    />
  );
}

/** A part of a check result that an assertion can test. */
export interface SourceChoice<Source = string> {
  readonly value: Source;
  readonly label: string;
  /** Example of a property, if the API accepts any text as the property. */
  readonly example?: string;
}

/** A part of a check result, with the properties and comparisons that the API allows for it. */
type Source = SourceChoice & CheckKind["assertionSources"][number];

function listSources(choices: readonly SourceChoice[], kind: CheckKind): readonly Source[] {
  return choices.flatMap((choice) => {
    const allowed = kind.assertionSources.find(({ source }) => source === choice.value);
    return allowed === undefined ? [] : [{ ...choice, ...allowed }];
  });
}

function listComparisons(source: Source): readonly string[] {
  const allowed: readonly string[] = source.comparisons;
  return comparisons.filter((comparison) => allowed.includes(comparison));
}

/**
 * Returns the initial property of an assertion: the first name that the API lists, or an empty text
 * if it lists none.
 */
const firstProperty = ({ propertyNames }: Source) => propertyNames[0] ?? "";

interface AssertionsFieldProps<Source = string> {
  /** Parts of a check result that the user can select, in display order. */
  readonly sources: readonly SourceChoice<Source>[];
  readonly hint: string;
}

const path = "request.assertions";

function Assertions({ sources: choices, hint }: AssertionsFieldProps) {
  const { values, kind, set, noteLabel } = useFieldEditor();
  noteLabel(path, words.assertions);
  const all: readonly AnyAssertion[] = getList(values, path);
  const sources = listSources(choices, kind);
  const [first] = sources;
  const add = () => {
    if (first === undefined) return;
    const { value: source } = first;
    const property = firstProperty(first);
    set(path, [...all, { source, property, comparison: "EQUALS", target: "" }]);
  };
  return (
    <Stack as="fieldset" gap={2}>
      <legend className={textStyles.strong}>{words.assertions}</legend>
      <p className={textStyles.hint}>{hint}</p>
      {all.map((assertion, index) => (
        <Assertion
          // biome-ignore lint/suspicious/noArrayIndexKey: assertions have no id
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

/** Returns the field for assertions; its type allows only the sources of one check type. */
export const assertionsOf = <Type extends CheckType>(): ComponentType<
  AssertionsFieldProps<SourceOf<CheckValues<Type>>>
> => Assertions;

interface AssertionProps {
  readonly assertion: AnyAssertion;
  readonly index: number;
  readonly sources: readonly Source[];
  readonly onRemove: () => void;
}

function Assertion({ assertion, index, sources, onRemove }: AssertionProps) {
  const { set, findFieldError } = useFieldEditor();
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
      property: firstProperty(chosen),
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
  readonly assertion: AnyAssertion;
  readonly own: string;
  readonly source: Source;
  readonly shared: object;
}

function Property({ assertion, own, source, shared }: PropertyProps) {
  const { set } = useFieldEditor();
  const value = getText(assertion, "property");
  if (source.property === "none") return <span />;
  if (source.property === "name") {
    return (
      <NativeSelect
        {...shared}
        data={[...source.propertyNames]}
        value={value}
        onChange={({ currentTarget }) => set(`${own}.property`, currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      placeholder={source.example}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => set(`${own}.property`, currentTarget.value)}
    />
  );
}
