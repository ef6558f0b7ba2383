"""Reads a safetensors file of linn's by the rules of the format alone, and prints it as JSON.

Numbers are printed as texts, because JSON has no infinities and no large integers.
"""
import json
import struct
import sys

TYPES = {"F32": "f", "F64": "d", "U8": "B", "U32": "I", "U64": "Q", "I64": "q"}
MASK = (1 << 64) - 1
PRIMES = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)


def rotate(value, count):
    return (value << count | value >> (64 - count)) & MASK


def mix(lane, word):
    return rotate((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    """XXH64 with seed 0, following its specification."""
    lanes = [(PRIMES[0] + PRIMES[1]) & MASK, PRIMES[1], 0, -PRIMES[0] & MASK]
    position = 0
    while position + 32 <= len(data):
        lanes = [mix(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, position))]
        position += 32
    if len(data) < 32:
        value = PRIMES[4]
    else:
        value = sum(rotate(lane, count) for lane, count in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            value = ((value ^ mix(0, lane)) * PRIMES[0] + PRIMES[3]) & MASK
    value = (value + len(data)) & MASK
    while position + 8 <= len(data):
        (word,) = struct.unpack_from("<Q", data, position)
        value = (rotate(value ^ mix(0, word), 27) * PRIMES[0] + PRIMES[3]) & MASK
        position += 8
    if position + 4 <= len(data):
        (word,) = struct.unpack_from("<I", data, position)
        value = (rotate(value ^ word * PRIMES[0] & MASK, 23) * PRIMES[1] + PRIMES[2]) & MASK
        position += 4
    for byte in data[position:]:
        value = rotate(value ^ byte * PRIMES[4] & MASK, 11) * PRIMES[0] & MASK
    value = (value ^ value >> 33) * PRIMES[1] & MASK
    value = (value ^ value >> 29) * PRIMES[2] & MASK
    return value ^ value >> 32


def unique(pairs):
    assert len(dict(pairs)) == len(pairs), "duplicate name"
    return dict(pairs)


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<Q", data)
    assert length % 8 == 0 and length <= 100_000_000
    header = json.loads(data[8 : 8 + length].decode("utf-8"), object_pairs_hook=unique)
    metadata = header.pop("__metadata__")
    assert all(isinstance(value, str) for value in metadata.values())
    values = data[8 + length :]

    end, tensors = 0, {}
    for name, tensor in header.items():
        assert set(tensor) == {"dtype", "shape", "data_offsets"}, name
        start, stop = tensor["data_offsets"]
        assert start == end <= stop, name
        count = 1
        for dimension in tensor["shape"]:
            count *= dimension
        code = "<%d%s" % (count, TYPES[tensor["dtype"]])
        assert stop - start == struct.calcsize(code), name
        numbers = struct.unpack(code, values[start:stop])
        tensors[name] = {"dtype": tensor["dtype"], "shape": tensor["shape"], "values": [repr(n) for n in numbers]}
        end = stop
    assert end == len(values)

    digits = metadata["checksum"].encode()
    actual = b"%016x" % xxh64(data.replace(digits, b"0" * 16, 1))
    assert digits == actual, "the checksum should be %s" % actual.decode()
    json.dump({"metadata": metadata, "tensors": tensors}, sys.stdout)


main()
