/**
 * What a mail says, as text and as HTML. Only the layout of all mails makes one
 * (`src/pages/mails/layout.ts`; an architecture test holds it), so that no mail looks like another product.
 */
export class MailText {
  readonly #parts: { readonly subject: string; readonly text: string; readonly html: string };

  constructor(parts: { readonly subject: string; readonly text: string; readonly html: string }) {
    this.#parts = parts;
  }

  get subject(): string {
    return this.#parts.subject;
  }

  get text(): string {
    return this.#parts.text;
  }

  get html(): string {
    return this.#parts.html;
  }
}
