import { Combobox, TextInput, type TextInputProps, useCombobox } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { completeTag, suggestTags } from "./tags.ts";

const words = { tags: "Tags in use" } as const;

const knownTagsQuery = queryOptions({
  queryKey: ["checks", "facets", "known-tags"],
  meta: { events: ["check", "check-group"] },
  queryFn: async ({ signal }) => {
    const { tag } = await send(api.GET("/v1/check-overviews/facets", { signal }));
    return tag.map(({ value }) => value);
  },
  staleTime: 60_000,
});

interface TagsFieldProps extends Omit<TextInputProps, "onChange" | "value"> {
  /** Comma-separated tags. */
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for comma-separated tags that suggests the tags of existing checks. */
export function TagsField({ value, onChange, ...props }: TagsFieldProps) {
  const { data: known = [] } = useQuery({ ...knownTagsQuery, enabled: !props.readOnly });
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const suggested = props.readOnly ? [] : suggestTags(value, known);
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(tag) => {
        onChange(completeTag(value, tag));
        combobox.resetSelectedOption();
      }}
    >
      <Combobox.Target>
        <TextInput
          {...props}
          value={value}
          autoComplete="off"
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={suggested.length === 0}>
        <Combobox.Options aria-label={words.tags}>
          {suggested.map((tag) => (
            <Combobox.Option key={tag} value={tag}>
              <bdi>{tag}</bdi>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
