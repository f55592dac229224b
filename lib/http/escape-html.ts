const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML has it, in quoted attributes too. NUL, which no parser takes, and halves of characters become what stands for them. */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
