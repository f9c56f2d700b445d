import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { nameKind } from "../../kinds/index.ts";
import { useLocationName } from "../../locations/index.ts";
import buttonStyles from "../../parts/buttons.module.css";
import { LinkButton } from "../../parts/buttons.tsx";
import { formatCount } from "../../parts/figures.ts";
import { MuteIcon } from "../../parts/icons.tsx";
import { Stack } from "../../parts/layout.tsx";
import { type ShownState, StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./facets.module.css";
import { facetsQuery } from "./queries.ts";
import {
  clearFilters,
  type FacetName,
  facetNames,
  isFiltered,
  type ListSearch,
  toggleFacet,
} from "./search.ts";
import { facetWords, words } from "./words.ts";

interface FacetsProps {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
}

type Count = Schemas["CheckFacets"]["tag"][number];

const states: readonly ShownState[] = ["failing", "degraded", "unknown", "passing", "inactive"];
const isState = (value: string): value is ShownState => states.some((state) => state === value);
/** Maximum number of values shown per filter. Further values are behind a button. */
const maxShown = 7;

function wordOf(
  name: FacetName,
  { value, label }: Count,
  nameLocation: (code: string) => string,
): string {
  if (name === "checkType") return nameKind(value);
  if (name === "location") return nameLocation(value);
  if (name === "groupId") return label ?? words.noGroup;
  return value;
}

/**
 * Returns the values of a filter. A selected value stays in the list, even if no check has it any
 * more.
 */
function listValues(name: FacetName, counts: readonly Count[], chosen: readonly string[]): Count[] {
  const missing = chosen.filter((value) => !counts.some((one) => one.value === value));
  const all = [...counts, ...missing.map((value) => ({ value, label: null, count: 0 }))];
  if (name !== "state") return all;
  return all.sort((one, other) => placeOf(one) - placeOf(other));
}

const placeOf = ({ value }: Count) => (isState(value) ? states.indexOf(value) : -1);

interface ValueProps {
  readonly isChosen: boolean;
  readonly count: number;
  readonly children: React.ReactNode;
  readonly onToggle: () => void;
}

function Value({ isChosen, count, children, onToggle }: ValueProps) {
  return (
    <li>
      <button
        type="button"
        className={`${buttonStyles.option} ${styles.value}`}
        aria-pressed={isChosen}
        onClick={onToggle}
      >
        <span className={styles.word}>{children}</span>
        <span className={`${textStyles.muted} ${textStyles.nowrap}`}>{formatCount(count)}</span>
      </button>
    </li>
  );
}

function Facet(
  props: FacetsProps & { readonly name: FacetName; readonly counts: readonly Count[] },
) {
  const { name, search, onChange, counts } = props;
  const [isWhole, setWhole] = useState(false);
  const nameLocation = useLocationName();
  const chosen = search[name] ?? [];
  const values = listValues(name, counts, chosen);
  if (values.length === 0 || (values.length === 1 && name !== "state" && chosen.length === 0)) {
    return null;
  }
  const shown = isWhole
    ? values
    : values.filter(({ value }, place) => place < maxShown || chosen.includes(value));
  return (
    <Stack as="section" gap={1} aria-label={facetWords[name]}>
      <h2 className={`${styles.title} ${textStyles.hint} ${textStyles.regular}`}>
        {facetWords[name]}
      </h2>
      <ul>
        {shown.map((one) => (
          <Value
            key={one.value}
            isChosen={chosen.includes(one.value)}
            count={one.count}
            onToggle={() => onChange(toggleFacet(search, name, one.value))}
          >
            {name === "state" && isState(one.value) ? (
              <StateMark state={one.value} size={14} hasWord />
            ) : (
              <bdi title={wordOf(name, one, nameLocation)}>{wordOf(name, one, nameLocation)}</bdi>
            )}
          </Value>
        ))}
      </ul>
      {values.length > shown.length && (
        <LinkButton className={styles.all} onClick={() => setWhole(true)}>
          {`${formatCount(values.length - shown.length)} more`}
        </LinkButton>
      )}
    </Stack>
  );
}

/** Shows the filters of the check list. Each filter value has a count of the matching checks. */
export function Facets({ search, onChange }: FacetsProps) {
  const { data } = useQuery(facetsQuery(search));
  const { muted, ...unmuted } = search;
  return (
    <Stack gap={4}>
      {isFiltered(search) && (
        <LinkButton className={styles.all} onClick={() => onChange(clearFilters(search))}>
          {words.clearFilters}
        </LinkButton>
      )}
      {facetNames.map((name) => (
        <Facet
          key={name}
          name={name}
          search={search}
          onChange={onChange}
          counts={data?.[name] ?? []}
        />
      ))}
      {((data?.muted ?? 0) > 0 || muted) && (
        <ul>
          <Value
            isChosen={muted === true}
            count={data?.muted ?? 0}
            onToggle={() => onChange(muted ? unmuted : { ...search, muted: true })}
          >
            <MuteIcon size={14} /> {words.muted}
          </Value>
        </ul>
      )}
    </Stack>
  );
}
