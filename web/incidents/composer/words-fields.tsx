import { NativeSelect, Textarea } from "@mantine/core";
import { statuses } from "../search.ts";
import { words as moduleWords, composerWords as words } from "../words.ts";
import type { Composition } from "./values.ts";

interface WordsFieldsProps {
  readonly composition: Composition;
  readonly onChange: (change: Partial<Composition>) => void;
  readonly fault?: string | undefined;
}

/** Status and message of an update. */
export function WordsFields({ composition, onChange, fault }: WordsFieldsProps) {
  return (
    <>
      <NativeSelect
        label={words.status}
        value={composition.status}
        onChange={(event) =>
          onChange({
            status: statuses.find((one) => one === event.currentTarget.value) ?? "INVESTIGATING",
          })
        }
        data={statuses.map((value) => ({ value, label: moduleWords.statusMeans[value] }))}
      />
      <Textarea
        label={words.message}
        description={words.messageHint}
        required
        autosize
        minRows={5}
        maxRows={20}
        maxLength={20_000}
        value={composition.description}
        error={fault}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  );
}
