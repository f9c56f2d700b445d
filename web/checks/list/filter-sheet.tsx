import { Button, Drawer } from "@mantine/core";
import { useState } from "react";
import { FilterIcon } from "../../parts/icons.tsx";
import { Facets } from "./facets.tsx";
import { countFilters, type ListSearch } from "./search.ts";
import { words } from "./words.ts";

interface FilterSheetProps {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
}

/** Shows the filters of the check list on a phone. */
export function FilterSheet({ search, onChange }: FilterSheetProps) {
  const [isOpen, setOpen] = useState(false);
  const count = countFilters(search);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<FilterIcon size={14} />}
        onClick={() => setOpen(true)}
      >
        {count === 0 ? words.filters : `${words.filters} (${count})`}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="bottom"
        size="75%"
        title={words.filters}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Facets search={search} onChange={onChange} />
      </Drawer>
    </>
  );
}
