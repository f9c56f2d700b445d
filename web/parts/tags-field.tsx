import { Combobox, TextInput, type TextInputProps, useCombobox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { tagsQuery } from "./queries.ts";
import { completeTag, suggestTags } from "./tags.ts";

const words = { tags: "Tags in use" } as const;

interface TagsFieldProps extends Omit<TextInputProps, "onChange" | "value"> {
  /** Text with comma-separated tags. */
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for comma-separated tags that suggests the tags of existing checks. */
export function TagsField({ value, onChange, ...props }: TagsFieldProps) {
  const { data: known = [] } = useQuery({ ...tagsQuery, enabled: !props.readOnly });
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const suggested = props.readOnly
    ? []
    : suggestTags(
        value,
        known.map((tag) => tag.value),
      );
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
