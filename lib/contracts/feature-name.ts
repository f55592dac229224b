/**
 * Returns the name of a feature as the application writes it, such as `dpop()`. For a feature of RFC 6749, it is the
 * `id`, which names the section.
 */
export const featureName = ({ id }: { readonly id: string }): string =>
  /^\w+$/.test(id) ? `\`${id}()\`` : `\`${id}\``;
