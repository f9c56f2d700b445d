import buttonStyles from "../../parts/buttons.module.css";
import { formatCount } from "../../parts/figures.ts";
import { Row } from "../../parts/layout.tsx";

interface ChoicesProps<Value extends string> {
  readonly label: string;
  /** Label of the choice without a filter. */
  readonly all: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly chosen: Value | undefined;
  readonly counts?: Readonly<Record<Value | "total", number>> | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}

/** A filter with all values visible, each with its count. */
export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { label, all, options, chosen, counts, onChoose } = props;
  const values = Object.keys(options) as Value[];
  const choices = [undefined, ...values].map((value) => ({
    value,
    word: value === undefined ? all : options[value],
    count: counts?.[value ?? "total"],
  }));
  return (
    <Row as="fieldset" gap={1} aria-label={label}>
      {choices.map(({ value, word, count }) => (
        <button
          key={word}
          type="button"
          className={buttonStyles.chip}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {word}
          {count !== undefined && <span>{formatCount(count)}</span>}
        </button>
      ))}
    </Row>
  );
}
