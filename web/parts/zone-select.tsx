import { type OptionsFilter, Select, type SelectProps } from "@mantine/core";
import { useMemo } from "react";
import { listZoneOptions } from "./time-zones.ts";

interface ZoneSelectProps extends Omit<SelectProps, "data" | "value" | "onChange"> {
  readonly value: string | null;
  /** Label of the choice of no zone; without it, a zone is always selected. */
  readonly none?: string;
  readonly onChange: (zone: string | null) => void;
}

type ZoneOptions = Parameters<OptionsFilter>[0]["options"];

const noZone = "";

/** Finds "new york" in "America/New_York". */
const toSearched = (text: string) => text.toLowerCase().replaceAll(/[\s_/]+/g, " ");

/** All zones while the field shows the selected one; otherwise those with the typed text. */
function filterZones(all: ZoneOptions, search: string, selected: string | null): ZoneOptions {
  const typed = toSearched(search).trim();
  const zones = all.filter((one) => "label" in one);
  const shown = zones.find((one) => one.value === (selected ?? noZone));
  if (shown?.label === search) return zones;
  return zones.filter(({ label }) => toSearched(label).includes(typed));
}

/** Selects a time zone. Typing searches the names; arrow keys and Enter select. */
export function ZoneSelect({ value, none, onChange, ...rest }: ZoneSelectProps) {
  const options = useMemo(() => {
    const zones = listZoneOptions(value);
    return none === undefined ? zones : [{ value: noZone, label: none }, ...zones];
  }, [value, none]);
  return (
    <Select
      {...rest}
      data={options}
      value={value ?? noZone}
      searchable
      selectFirstOptionOnChange
      allowDeselect={false}
      maxDropdownHeight={280}
      nothingFoundMessage="No time zone has this name."
      filter={({ options: all, search }) => filterZones(all, search, value)}
      // Typing replaces the selected zone.
      onFocus={({ currentTarget }) => currentTarget.select()}
      onChange={(zone) => onChange(zone === noZone ? null : zone)}
    />
  );
}
