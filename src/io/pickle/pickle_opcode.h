#pragma once

namespace p2mpp::pickle::op {

// The supported instructions, named by their effect; comments give the names in CPython's pickle.py.
inline constexpr char kProtocol = '\x80';     // PROTO
inline constexpr char kFrame = '\x95';        // FRAME
inline constexpr char kStop = '.';            // STOP
inline constexpr char kMark = '(';            // MARK
inline constexpr char kPop = '0';             // POP
inline constexpr char kPopMark = '1';         // POP_MARK
inline constexpr char kDuplicate = '2';       // DUP
inline constexpr char kNone = 'N';            // NONE
inline constexpr char kTrue = '\x88';         // NEWTRUE
inline constexpr char kFalse = '\x89';        // NEWFALSE
inline constexpr char kIntLine = 'I';         // INT
inline constexpr char kLongLine = 'L';        // LONG
inline constexpr char kInt1 = 'K';            // BININT1
inline constexpr char kInt2 = 'M';            // BININT2
inline constexpr char kInt4 = 'J';            // BININT
inline constexpr char kLong1 = '\x8a';        // LONG1
inline constexpr char kLong4 = '\x8b';        // LONG4
inline constexpr char kRealLine = 'F';        // FLOAT
inline constexpr char kReal8 = 'G';           // BINFLOAT
inline constexpr char kReprLine = 'S';        // STRING
inline constexpr char kString1 = 'U';         // SHORT_BINSTRING
inline constexpr char kString4 = 'T';         // BINSTRING
inline constexpr char kBytes1 = 'C';          // SHORT_BINBYTES
inline constexpr char kBytes4 = 'B';          // BINBYTES
inline constexpr char kBytes8 = '\x8e';       // BINBYTES8
inline constexpr char kByteArray8 = '\x96';   // BYTEARRAY8
inline constexpr char kUnicodeLine = 'V';     // UNICODE
inline constexpr char kUnicode1 = '\x8c';     // SHORT_BINUNICODE
inline constexpr char kUnicode4 = 'X';        // BINUNICODE
inline constexpr char kUnicode8 = '\x8d';     // BINUNICODE8
inline constexpr char kEmptyTuple = ')';      // EMPTY_TUPLE
inline constexpr char kTuple1 = '\x85';       // TUPLE1
inline constexpr char kTuple2 = '\x86';       // TUPLE2
inline constexpr char kTuple3 = '\x87';       // TUPLE3
inline constexpr char kTuple = 't';           // TUPLE
inline constexpr char kEmptyList = ']';       // EMPTY_LIST
inline constexpr char kList = 'l';            // LIST
inline constexpr char kAppend = 'a';          // APPEND
inline constexpr char kAppends = 'e';         // APPENDS
inline constexpr char kEmptyDict = '}';       // EMPTY_DICT
inline constexpr char kDict = 'd';            // DICT
inline constexpr char kSetItem = 's';         // SETITEM
inline constexpr char kSetItems = 'u';        // SETITEMS
inline constexpr char kPutLine = 'p';         // PUT
inline constexpr char kPut1 = 'q';            // BINPUT
inline constexpr char kPut4 = 'r';            // LONG_BINPUT
inline constexpr char kMemoize = '\x94';      // MEMOIZE
inline constexpr char kGetLine = 'g';         // GET
inline constexpr char kGet1 = 'h';            // BINGET
inline constexpr char kGet4 = 'j';            // LONG_BINGET
inline constexpr char kGlobalLines = 'c';     // GLOBAL
inline constexpr char kStackGlobal = '\x93';  // STACK_GLOBAL
inline constexpr char kReduce = 'R';          // REDUCE
inline constexpr char kBuild = 'b';           // BUILD
inline constexpr char kNewObject = '\x81';    // NEWOBJ
inline constexpr char kPersistentId = 'Q';    // BINPERSID

}  // namespace p2mpp::pickle::op
