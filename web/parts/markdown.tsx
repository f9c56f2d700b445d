import MarkdownParser, { type Token } from "markdown-it";
import { createElement, Fragment, type ReactNode } from "react";

const parser = new MarkdownParser("default", {
  html: false,
  linkify: true,
  breaks: true,
  maxNesting: 20,
});
// Public pages allow the same subset: no images, no tables, and only http(s) and mailto links.
parser.disable(["image", "table"]);
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
parser.validateLink = (url) => /^(?:https?:\/\/|mailto:)/i.test(url.trim());

/** Lowers the level of a heading by two, so that it is below the headings of the screen. */
const shiftHeading = (tag: string) =>
  /^h[1-6]$/.test(tag) ? `h${Math.min(6, Number(tag.slice(1)) + 2)}` : tag;

function toLeaf(token: Token): ReactNode {
  switch (token.type) {
    case "inline":
      return toNodes(token.children ?? []);
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    case "code_inline":
      return <code>{token.content}</code>;
    case "fence":
    case "code_block":
      return (
        <pre>
          <code>{token.content}</code>
        </pre>
      );
    default:
      return token.content;
  }
}

function toElement(token: Token, children: ReactNode): ReactNode {
  if (token.hidden) return children;
  if (token.tag !== "a") return createElement(shiftHeading(token.tag), null, children);
  const href = String(token.attrGet("href") ?? "") || undefined;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Converts the parser's flat list of tokens to React elements, and never to raw HTML. */
function toNodes(tokens: readonly Token[]): ReactNode[] {
  const levels: { readonly open: Token | null; readonly nodes: ReactNode[] }[] = [
    { open: null, nodes: [] },
  ];
  tokens.forEach((token, index) => {
    if (token.nesting === 1) {
      levels.push({ open: token, nodes: [] });
      return;
    }
    const closed = token.nesting === -1 ? levels.pop() : undefined;
    const node = closed?.open ? toElement(closed.open, closed.nodes) : toLeaf(token);
    // biome-ignore lint/suspicious/noArrayIndexKey: the list is rebuilt for each text
    levels.at(-1)?.nodes.push(<Fragment key={index}>{node}</Fragment>);
  });
  return levels[0]?.nodes ?? [];
}

/** Renders Markdown in the same way as public pages do. */
export function Markdown({ source }: { readonly source: string }) {
  return <>{toNodes(parser.parse(source.slice(0, 20_000), {}))}</>;
}
