// SPDX-License-Identifier: Apache-2.0
// The bytes of a recording file become a Recording, as far as they can be read.
import { kMagic, Recording, RecordReader } from './recording.ts';
import { RecordingError } from './scene.ts';

// A damaged part makes at most this many further bytes unreadable.
const kPiece = 1 << 14;

/**
 * Decompresses a zlib stream piece by piece. Says at its end whether it was whole: a stream drops what
 * nobody has read when it fails, so all output is taken before the stream is told that no more comes.
 */
async function inflate(data: Uint8Array, take: (bytes: Uint8Array) => void): Promise<'whole' | 'cut off' | 'damaged'> {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  let taken = 0;
  let failed = false;
  let ending = false;
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      taken++;
      take(value as Uint8Array);
    }
  })();
  const read = reading.catch(async (error: unknown) => {
    failed = !ending;
    await reader.cancel().catch(() => {}); // otherwise the writer would wait for ever
    if (error instanceof RecordingError) throw error;
  });
  read.catch(() => {}); // it is awaited below
  writer.closed.catch(() => {});
  try {
    for (let at = 0; at < data.length && !failed; at += kPiece) {
      await writer.write(data.subarray(at, at + kPiece) as Uint8Array<ArrayBuffer>);
    }
  } catch {
    await read;
    return 'damaged';
  }
  for (let before = -1; before !== taken; ) {
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  ending = true;
  const close = writer.close().then(() => true, () => false);
  await read;
  if (failed) return 'damaged';
  return (await close) ? 'whole' : 'cut off';
}

/** @throws RecordingError if there is nothing to show */
export async function readRecording(file: Uint8Array, name = 'The recording'): Promise<Recording> {
  const magic = String.fromCharCode(...file.subarray(0, kMagic.length));
  if (magic !== kMagic) {
    if (kMagic.startsWith(magic)) throw new RecordingError(`${name} is cut off within its first ${kMagic.length} bytes.`);
    throw new RecordingError(`${name} is not a recording: it does not begin with SVTREC1. ` +
      "'servosim run WORLD --record FILE.svt' writes one.");
  }
  const [method, flags] = [file[kMagic.length], file[kMagic.length + 1]];
  if (method !== undefined && flags !== undefined && ((method & 15) !== 8 || (256 * method + flags) % 31 !== 0)) {
    throw new RecordingError(`${name} is damaged: it cannot be decompressed.`);
  }
  const recording = new Recording();
  const records = new RecordReader();
  const ending = await inflate(file.subarray(kMagic.length), (bytes) => {
    for (const record of records.push(bytes)) recording.add(record);
  });
  if (recording.scenes.length === 0) {
    throw new RecordingError(ending === 'damaged' ? `${name} is damaged: it cannot be decompressed.`
      : `${name} is cut off before its scene.`);
  }
  if (recording.frames.length === 0) {
    throw new RecordingError(recording.problem ? `${name} has no frame that can be read. ${recording.problem}.`
      : `${name} has no frame: it is cut off after its scene.`);
  }
  if (!recording.problem) {
    const until = `what follows ${recording.duration.toFixed(3)} s is missing`;
    if (ending === 'damaged') recording.problem = `It is damaged: ${until}`;
    else if (ending === 'cut off' || records.waiting > 0) recording.problem = `It is cut off: ${until}`;
  }
  return recording;
}
