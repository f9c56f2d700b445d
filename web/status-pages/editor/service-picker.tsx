import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useState } from "react";
import styles from "./cards.module.css";
import type { CardValues } from "./page-values.ts";
import { type Services, useCreateService } from "./services.ts";
import { words } from "./words.ts";

const maxShown = 50;
const createValue = "create";

interface ServicePickerProps {
  readonly card: CardValues;
  readonly services: Services;
  readonly onAdd: (serviceId: string) => void;
}

/** Finds a service of the account by name, or makes one. */
export function ServicePicker({ card, services, onAdd }: ServicePickerProps) {
  const [text, setText] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const add = (serviceId: string) => {
    setText("");
    combobox.closeDropdown();
    onAdd(serviceId);
  };
  const create = useCreateService(({ id }) => add(id));
  const wanted = text.trim().toLowerCase();
  const others = services.list.filter(({ id }) => !card.serviceIds.includes(id));
  const found = others.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isKnown = services.list.some(({ name }) => name.toLowerCase() === wanted);
  const mayCreate = wanted !== "" && !isKnown && services.isLoaded;
  const isEmpty = found.length === 0 && !mayCreate;
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(value) => (value === createValue ? create.mutate(text.trim()) : add(value))}
    >
      <Combobox.Target>
        <TextInput
          className={styles.picker ?? ""}
          aria-label={words.addServiceTo(card.name)}
          placeholder={words.addService}
          value={text}
          maxLength={255}
          error={create.error?.message}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            create.reset();
            combobox.openDropdown();
            combobox.selectFirstOption();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => {
            // Enter chooses here; it must not save the page.
            if (event.key === "Enter") event.preventDefault();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={isEmpty && services.list.length > 0 && wanted !== ""}>
        <Combobox.Options className={styles.options ?? ""} aria-label={words.services}>
          {found.slice(0, maxShown).map(({ id, name }) => (
            <Combobox.Option key={id} value={id}>
              <bdi>{name}</bdi>
            </Combobox.Option>
          ))}
          {mayCreate && (
            <Combobox.Option value={createValue}>
              {words.createService(text.trim())}
            </Combobox.Option>
          )}
          {isEmpty && <Combobox.Empty>{words.typeService}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
