/** Parses a YAML document. Throws if it is invalid or repeats a key. */
export function parseYaml(text: string): unknown;

/** Returns the errors that GitHub would report for a workflow file, including those in expressions. */
export function findWorkflowErrors(name: string, content: string): Promise<string[]>;

/** Parses a YAML file with one or more documents, with merge keys. Throws if it is invalid or repeats a key. */
export function parseYamlDocuments(text: string): unknown[];
