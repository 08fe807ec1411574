// SPDX-License-Identifier: Apache-2.0
// Reads files of the PROTO's project. Relative paths start at the folder of the PROTO file.

/// Returns the text of a file in UTF-8. Ends the template if it cannot be read.
export function readTextFile(path) {
  return __textOfFile(path);
}

export function isFileExisting(path) {
  return __fileExists(path);
}

export {isFileExisting as fileExists};

/// Does not write the file.
export function writeTextFile(path) {
  console.warn(`templates write no files: '${path}' is not written`);
  return false;
}
