export { htmlProof, readProof } from './html.js';
export { makeProof } from './make-proof.js';
export { type ConformanceRecord, type Proof, summaryOf } from './proof.js';
export { verifySignature } from './signature.js';
