/**
 * Subject and body of a mail, as text and as HTML. Created only by the layout of all mails
 * (`src/pages/mails/layout.ts`, enforced by an architecture test), so that all mails look alike.
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
