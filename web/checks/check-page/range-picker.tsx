import { Button } from "@mantine/core";
import { Segments } from "../../parts/buttons.tsx";
import { Row } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import {
  type CheckSearch,
  isFixed,
  moveSpan,
  rangeNames,
  readSpan,
  type SearchChange,
  toRangeSearch,
} from "./search.ts";
import { words } from "./words.ts";

interface RangePickerProps {
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

const spoken = {
  "1h": "1 h",
  "6h": "6 h",
  "24h": "24 h",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
} as const;

/** Selects the time range. Every choice is stored in the address. */
export function RangePicker({ search, onSearch }: RangePickerProps) {
  const fixed = isFixed(search);
  const chosen = fixed ? null : search.range;
  const move = (where: "earlier" | "later" | "out") => () => {
    const nowMs = Date.now();
    const span = moveSpan(readSpan(search, nowMs), where);
    onSearch({ ...toRangeSearch(span, nowMs), range: undefined });
  };
  const { range } = words;
  return (
    <Row gap={4}>
      <Segments>
        <legend className="unseen">{range.label}</legend>
        {rangeNames.map((name) => (
          <button
            type="button"
            key={name}
            aria-pressed={chosen === name}
            onClick={() => onSearch({ range: name, from: undefined, to: undefined })}
          >
            {spoken[name]}
          </button>
        ))}
      </Segments>
      <Row nowrap>
        <Button variant="default" size="xs" onClick={move("earlier")}>
          {range.earlier}
        </Button>
        <Button variant="default" size="xs" onClick={move("later")} disabled={!fixed}>
          {range.later}
        </Button>
        <Button variant="default" size="xs" onClick={move("out")}>
          {range.zoomOut}
        </Button>
      </Row>
      {fixed && search.from !== undefined && search.to !== undefined && (
        <span className={textStyles.hint}>
          <DateTime at={new Date(search.from * 1_000).toISOString()} />
          {" – "}
          <DateTime at={new Date(search.to * 1_000).toISOString()} />
        </span>
      )}
    </Row>
  );
}
