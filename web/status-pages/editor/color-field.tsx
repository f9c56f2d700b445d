import { useId, useState } from "react";
import textStyles from "../../parts/text.module.css";
import styles from "./look.module.css";
import { words } from "./words.ts";

interface ColorFieldProps {
  readonly label: string;
  readonly value: string;
  /** Contrast warnings. */
  readonly warnings: readonly string[];
  readonly onChange: (color: string) => void;
}

const pattern = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** The native colour picker supports only the six-digit form. */
function toLong(color: string): string {
  const digits = color.slice(1);
  const long = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  return `#${long.toLowerCase()}`;
}

/** Edits a colour with the native picker or as text. Invalid text is not passed on. */
export function ColorField({ label, value, warnings, onChange }: ColorFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && !pattern.test(typed.trim());
  const describedBy = warnings.length > 0 || isWrong ? `${id}-notes` : undefined;
  return (
    <div className={styles.color}>
      <input
        type="color"
        aria-label={words.pick(label)}
        value={toLong(value)}
        onChange={({ currentTarget }) => {
          setTyped(null);
          onChange(currentTarget.value.toUpperCase());
        }}
      />
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={styles.number}
        value={typed ?? value}
        maxLength={7}
        spellCheck={false}
        aria-invalid={isWrong}
        aria-describedby={describedBy}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          if (pattern.test(currentTarget.value.trim())) onChange(currentTarget.value.trim());
        }}
        onBlur={() => !isWrong && setTyped(null)}
      />
      {describedBy && (
        <ul id={describedBy} className={styles.notes}>
          {isWrong && <li className={`${textStyles.fault} ${textStyles.wrap}`}>{words.noColor}</li>}
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
