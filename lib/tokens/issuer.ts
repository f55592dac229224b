/** Is this good at the issuer that is asked? What names no issuer is good at any, and a server that has none asks for none. */
export function isOfIssuer(found: { issuer?: string | null }, asked: string | undefined): boolean {
  return asked === undefined || found.issuer === undefined || found.issuer === null || found.issuer === asked;
}
