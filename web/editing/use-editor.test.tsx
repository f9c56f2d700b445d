/** The editor of an object in a form: drafts, changes of others, and conflicts. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type Part, renderPart } from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { ApiError } from "../api/api-error.ts";
import { EditorNotices } from "./editor-notices.tsx";
import type { Version } from "./editor-state.ts";
import { useEditor } from "./use-editor.ts";
import { words } from "./words.ts";

interface Item {
  readonly name: string;
  readonly muted: boolean;
}

// A form that is removed with unsaved input stores its draft.
beforeEach(() => sessionStorage.clear());

/** What is stored, and how a save ends. Rejects outdated versions as the API does. */
class Storage {
  stored: Version<Item>;
  failure: Error | null = null;
  saves = 0;

  constructor(item: Item) {
    this.stored = { data: item, etag: "1" };
  }

  change(item: Partial<Item>): void {
    const etag = String(Number(this.stored.etag) + 1);
    this.stored = { data: { ...this.stored.data, ...item }, etag };
  }

  send = async (values: Item, version: Version<Item> | null): Promise<Version<Item>> => {
    this.saves += 1;
    if (this.failure !== null) throw this.failure;
    if (version?.etag !== this.stored.etag) {
      throw new ApiError({ kind: "rejected", message: "Outdated", status: 412 });
    }
    this.change(values);
    return this.stored;
  };
}

interface FormProps {
  readonly storage: Storage;
  readonly stored: Version<Item>;
  readonly onSaved?: (name: string) => void;
}

function Form({ storage, stored, onSaved }: FormProps) {
  const editor = useEditor<Item, Item>({
    draftKey: "test.1",
    stored,
    toValues: (item) => item,
    send: storage.send,
    refetch: async () => storage.stored,
    onSaved: ({ data }) => onSaved?.(data.name),
  });
  const labels = new Map([["name", "Name"]]);
  return (
    <>
      <EditorNotices editor={editor} subject="this item" labels={labels} />
      <label>
        Name
        <input
          value={editor.values.name}
          onChange={({ target }) => editor.change({ name: target.value })}
        />
      </label>
      <button type="button" onClick={editor.save}>
        Save
      </button>
      <output>{editor.isDirty ? "unsaved" : "saved"}</output>
      {editor.error && <p role="alert">{editor.error.message}</p>}
    </>
  );
}

const field = (part: Part) => part.getByLabel("Name", { exact: true });
const press = (part: Part, name: string) => part.getByRole("button", { name, exact: true }).click();

function open(storage = new Storage({ name: "Edge", muted: false })) {
  const saved: string[] = [];
  const render = () => (
    <Form storage={storage} stored={storage.stored} onSaved={(name) => saved.push(name)} />
  );
  const part = renderPart(render());
  return { part, storage, saved, renew: () => part.rerender(render()) };
}

test("input is saved, and then nothing is unsaved", async () => {
  const { part, storage, saved } = open();
  await part.getByText("saved", { exact: true }).waitFor();
  await field(part).fill("Edge of mine");
  await part.getByText("unsaved").waitFor();
  await press(part, "Save");
  await waitUntil("it is saved", () => saved.length === 1);
  assert.deepEqual(storage.stored.data, { name: "Edge of mine", muted: false });
  await part.getByText("saved", { exact: true }).waitFor();
});

test("an untouched form follows what others save, and a changed one reports it", async () => {
  const { part, storage, renew } = open();
  storage.change({ name: "Theirs" });
  renew();
  assert.equal(await field(part).inputValue(), "Theirs");
  await field(part).fill("Mine");
  storage.change({ name: "Theirs again" });
  renew();
  assert.equal(await field(part).inputValue(), "Mine", "unsaved input is never replaced");
  await part.getByText(words.changedElsewhere("this item")).waitFor();
  await press(part, words.showChanges);
  await part.getByRole("alert", { name: words.conflictTitle("this item") }).waitFor();
});

test("a rejected save shows both versions, and the choice is saved on top of theirs", async () => {
  const { part, storage, saved } = open();
  await field(part).fill("Mine");
  storage.change({ name: "Theirs", muted: true });
  await press(part, "Save");
  await part.getByRole("alert", { name: words.conflictTitle("this item") }).waitFor();
  assert.equal(storage.stored.data.name, "Theirs", "nothing is overwritten");
  await press(part, words.keepMine);
  await press(part, "Save");
  await waitUntil("it is saved", () => saved.length === 1);
  assert.deepEqual(storage.stored.data, { name: "Mine", muted: true });
});

test("their version is taken, and nothing is left to save", async () => {
  const { part, storage } = open();
  await field(part).fill("Mine");
  storage.change({ name: "Theirs" });
  await press(part, "Save");
  await press(part, words.takeTheirs);
  assert.equal(await field(part).inputValue(), "Theirs");
  await part.getByText("saved", { exact: true }).waitFor();
});

test("a failed save keeps the input and reports why", async () => {
  const { part, storage } = open();
  storage.failure = new ApiError({ kind: "failed", message: "The server failed.", status: 500 });
  await field(part).fill("Mine");
  await press(part, "Save");
  await part.getByText("The server failed.").waitFor();
  assert.equal(await field(part).inputValue(), "Mine");
  storage.failure = null;
  await press(part, "Save");
  await waitUntil("it is saved", () => storage.stored.data.name === "Mine");
  assert.equal(part.getByRole("alert").count(), 0);
});

test("a form that is opened again restores its draft, which can be discarded", async () => {
  const { part, storage } = open();
  await field(part).fill("Typed before");
  await waitUntil("the draft is stored", () => sessionStorage.length > 0);
  part.rerender(<p>Closed</p>);
  const again = open(storage);
  await again.part.getByText(words.restored).waitFor();
  assert.equal(await field(again.part).inputValue(), "Typed before");
  await press(again.part, words.discard);
  assert.equal(await field(again.part).inputValue(), "Edge");
  await waitUntil("the draft is deleted", () => sessionStorage.length === 0);
  assert.equal(again.part.getByText(words.restored).count(), 0);
});

test("input that returns to what is stored leaves no draft", async () => {
  const { part } = open();
  await field(part).fill("Other");
  await waitUntil("the draft is stored", () => sessionStorage.length > 0);
  await field(part).fill("Edge");
  await waitUntil("the draft is deleted", () => sessionStorage.length === 0);
});
