/** Maximum width and height of an image in pixels. A small file of a huge image could fill a browser's memory. */
const MAX_SIDE = 1024;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * Detects the media type of a PNG or JPEG image from its content. Returns `undefined` for any other content, for
 * images whose size cannot be read or is zero, and for images that are wider or higher than 1024 pixels.
 */
export function imageType(bytes: Buffer): 'image/png' | 'image/jpeg' | undefined {
  const isPng = bytes.subarray(0, PNG.length).equals(PNG);
  const size = isPng ? pngSize(bytes) : bytes.subarray(0, JPEG.length).equals(JPEG) ? jpegSize(bytes) : undefined;
  if (!size || size.some((side) => side === 0 || side > MAX_SIDE)) return undefined;
  return isPng ? 'image/png' : 'image/jpeg';
}

/** Reads width and height from the IHDR chunk, which must come first. `undefined` if it does not. */
function pngSize(bytes: Buffer): number[] | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/**
 * Reads height and width from the first frame header (SOF), which follows segments of known length. `undefined` if
 * there is none.
 */
function jpegSize(bytes: Buffer): number[] | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
  }
  return undefined;
}
