// Bytes as the program's numbers.

const readers = {
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
  i32: (view, at) => view.getInt32(at, true),
  u32: (view, at) => view.getUint32(at, true),
  i64: (view, at) => view.getBigInt64(at, true),
  u64: (view, at) => view.getBigUint64(at, true),
  i16: (view, at) => view.getInt16(at, true),
  u16: (view, at) => view.getUint16(at, true),
  i8: (view, at) => view.getInt8(at),
  u8: (view, at) => view.getUint8(at),
};

function exact(type, bytes, at = 0) {
  const value = readers[type](new DataView(bytes.buffer, bytes.byteOffset), at);
  if (type !== "f32") return String(value);
  return String(Number(value.toPrecision(7)));
}

// At most six characters.
function short(type, bytes, at) {
  const text = exact(type, bytes, at);
  if (text.length <= 6) return text;
  const value = Number(text);
  if (Number.isNaN(value)) return "NaN";
  for (let digits = 4; digits > 0; --digits) {
    const tried = String(Number(value.toPrecision(digits)));
    if (tried.length <= 6) return tried;
  }
  return value.toExponential(0).replace("e+", "e");
}
