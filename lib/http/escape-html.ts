const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML content and quoted attributes. NUL and lone surrogates become U+FFFD. */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
